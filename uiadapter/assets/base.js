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
    for (const [name, value] of [...body]) if (value === "") body.delete(name);
  });
}
