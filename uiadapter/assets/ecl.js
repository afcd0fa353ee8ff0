// The workbench: completion below the editor, and a history that stays in the browser.
{
  const editor = () => document.getElementById("expression");
  const list = () => document.getElementById("options");
  const options = () => [...list().querySelectorAll("[role=option]")];
  const active = () => list().querySelector("[aria-selected=true]");
  let asking, wait;

  const close = () => {
    asking?.abort();
    clearTimeout(wait);
    if (!list()) return;
    list().hidden = true;
    list().replaceChildren();
    editor().removeAttribute("aria-activedescendant");
  };
  const choose = (option) => {
    for (const o of options()) o.setAttribute("aria-selected", String(o === option));
    if (!option) { editor().removeAttribute("aria-activedescendant"); return; }
    editor().setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const insert = (option) => {
    const e = editor(), at = e.selectionStart, { insert: text, remove } = option.dataset;
    close();
    e.focus();
    e.setRangeText(text + " ", at - Number(remove), at, "end");
    e.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
  };
  const ask = async () => {
    const e = editor();
    asking?.abort();
    asking = new AbortController();
    const before = e.value.slice(0, e.selectionStart);
    const query = new URLSearchParams({ system: document.getElementById("ecl-system").value, before });
    try {
      const r = await fetch("complete?" + query, { headers: { "HX-Request": "true", "HX-Request-Type": "partial" }, signal: asking.signal });
      if (!r.ok) { close(); return; }
      const part = new DOMParser().parseFromString(await r.text(), "text/html");
      list().replaceChildren(...part.body.children);
      list().hidden = !options().length;
      choose(null);
    } catch { /* another question took its place, or there is no connection */ }
  };

  document.addEventListener("input", (e) => {
    if (e.target !== editor() || !editor()) return;
    close();
    if (e.inputType !== "insertReplacementText") wait = setTimeout(ask, 120);
  });
  document.addEventListener("keydown", (e) => {
    if (!editor() || e.target !== editor()) return;
    if (e.key === " " && e.ctrlKey) { e.preventDefault(); ask(); return; }
    if (e.key === "Enter" && e.ctrlKey) { e.preventDefault(); editor().form.requestSubmit(); return; }
    if (list().hidden) return;
    const all = options(), at = all.indexOf(active());
    if (e.key === "Escape") { e.preventDefault(); close(); }
    else if (e.key === "ArrowDown") { e.preventDefault(); choose(all[(at + 1) % all.length]); }
    else if (e.key === "ArrowUp") { e.preventDefault(); choose(all[(at < 0 ? all.length : at) - 1] ?? all.at(-1)); }
    else if ((e.key === "Enter" || e.key === "Tab") && active()) { e.preventDefault(); insert(active()); }
  });
  document.addEventListener("pointerdown", (e) => {
    const option = e.target.closest?.("#options [role=option]");
    if (option) { e.preventDefault(); insert(option); }
  });
  document.addEventListener("focusout", (e) => { if (editor() && e.target === editor()) close(); });

  // The history: what gave a result, the last first.
  const key = "roget-ecl", most = 30;
  const read = () => { try { return JSON.parse(localStorage.getItem(key)) ?? []; } catch { return []; } };
  const write = (entries) => { try { localStorage.setItem(key, JSON.stringify(entries.slice(0, most))); } catch { /* no room, or not permitted */ } };
  const show = () => {
    const ul = document.getElementById("ecl-history");
    if (!ul) return;
    const entries = read().filter((h) => typeof h?.q === "string" && typeof h?.system === "string");
    ul.replaceChildren(...entries.map((h) => {
      const li = document.createElement("li"), a = document.createElement("a");
      a.href = "ecl?" + new URLSearchParams(h);
      a.textContent = h.q.length > 120 ? h.q.slice(0, 120) + "…" : h.q;
      li.append(a);
      return li;
    }));
    document.getElementById("history").hidden = !entries.length;
  };
  let settle;
  const remember = () => {
    clearTimeout(settle);
    if (!document.querySelector("#result .summary") || !editor()?.value.trim()) return;
    const entry = { system: document.getElementById("ecl-system").value, q: editor().value.trim() };
    if (entry.q.length > 2000) return;
    settle = setTimeout(() => {
      write([entry, ...read().filter((h) => h.q !== entry.q || h.system !== entry.system)]);
      show();
    }, 2000);
  };
  document.addEventListener("click", (e) => {
    if (e.target.id !== "ecl-forget") return;
    write([]);
    show();
    editor().focus();
  });
  document.addEventListener("htmx:after:swap", (e) => { if (e.detail.ctx.target?.id === "result") remember(); });
  if (editor()) { show(); remember(); }
}
