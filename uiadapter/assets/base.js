// What all pages share. Each script of a room is a block of its own, so that nothing is global.
"use strict";
{
  // The key / goes to the search field, as in many programs.
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
    const field = document.querySelector("input[type=search]");
    if (field) { e.preventDefault(); field.focus(); field.select(); }
  });
  // Fields that are left empty stay out of addresses.
  document.addEventListener("htmx:config:request", (e) => {
    const { method, body } = e.detail.ctx.request;
    if (method !== "GET" || !(body instanceof FormData)) return;
    for (const name of new Set(body.keys())) {
      const values = body.getAll(name).filter((value) => value !== "");
      body.delete(name);
      for (const value of values) body.append(name, value);
    }
  });
  // Languages get their names in the language of the page.
  const languages = (root) => {
    const names = new Intl.DisplayNames([document.documentElement.lang], { type: "language" });
    for (const e of root.querySelectorAll("[data-language]")) {
      try { e.textContent = names.of(e.dataset.language); e.lang = document.documentElement.lang; } catch { /* it keeps its code */ }
      delete e.dataset.language;
    }
  };
  languages(document);
  document.addEventListener("htmx:after:swap", () => languages(document));
}
