// Data: fields for codes offer concepts as one types (the combobox of the ARIA practices).
{
  const listOf = (field) => document.getElementById(field.getAttribute("aria-controls"));
  const options = (field) => [...listOf(field).querySelectorAll("[role=option]")];
  const show = (field, open) => {
    listOf(field).hidden = !open;
    field.setAttribute("aria-expanded", String(open));
    if (!open) field.removeAttribute("aria-activedescendant");
  };
  const point = (field, to) => {
    for (const o of options(field)) o.setAttribute("aria-selected", String(o === to));
    if (to) { field.setAttribute("aria-activedescendant", to.id); to.scrollIntoView({ block: "nearest" }); }
    else field.removeAttribute("aria-activedescendant");
  };
  const take = (field, option) => { field.value = option.dataset.value; show(field, false); field.focus(); };
  const fieldOf = (list) => document.querySelector(`[aria-controls="${CSS.escape(list.id)}"]`);

  document.addEventListener("htmx:after:swap", (e) => {
    const list = e.detail.ctx.target;
    if (!list?.matches?.(".picks")) return;
    const field = fieldOf(list);
    show(field, document.activeElement === field && options(field).length > 0);
  });
  document.addEventListener("keydown", (e) => {
    const field = e.target.closest?.("[data-pick]");
    if (!field || e.isComposing) return;
    const list = options(field), at = list.findIndex((o) => o.getAttribute("aria-selected") === "true");
    if (e.key === "Escape" && !listOf(field).hidden) { e.preventDefault(); show(field, false); return; }
    if ((e.key === "ArrowDown" || e.key === "ArrowUp") && list.length) {
      e.preventDefault();
      show(field, true);
      const next = e.key === "ArrowDown" ? at + 1 : at < 0 ? list.length - 1 : at - 1;
      point(field, list[next] ?? null);
    } else if (e.key === "Enter" && at >= 0 && !listOf(field).hidden) {
      e.preventDefault();
      take(field, list[at]);
    }
  });
  document.addEventListener("mousedown", (e) => { if (e.target.closest?.(".picks")) e.preventDefault(); }); // the field keeps the focus
  document.addEventListener("click", (e) => {
    const option = e.target.closest?.(".picks [role=option]");
    if (option) take(fieldOf(option.closest(".picks")), option);
  });
  document.addEventListener("focusout", (e) => { if (e.target.matches?.("[data-pick]")) show(e.target, false); });
  // Fields that are left empty stay out of the address.
  document.addEventListener("submit", (e) => {
    if (e.target.id !== "fields") return;
    const empty = [...e.target.elements].filter((f) => f.name && !f.value);
    for (const f of empty) f.disabled = true;
    setTimeout(() => { for (const f of empty) f.disabled = false; });
  });
}
