// Find: the arrow keys lead from the field through the results and back.
{
  const field = () => document.getElementById("q");
  const hits = () => [...document.querySelectorAll("#results [data-hit]")];
  let enter = false; // the field was left with Enter, before the results were there

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !field()) return;
    if (e.target === field()) {
      if (e.key === "ArrowDown") { e.preventDefault(); hits()[0]?.focus(); }
      enter = e.key === "Enter";
      return;
    }
    const list = hits(), at = list.indexOf(e.target);
    if (at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1, Escape: -1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      (to < 0 ? field() : list[Math.min(to, list.length - 1)]).focus();
    } else if (e.key.length === 1 && e.key !== "/" && e.key !== " ") {
      field().focus(); // which gets the key
    }
  });

  document.addEventListener("htmx:after:swap", (e) => {
    if (e.detail.ctx.target?.id !== "results") return;
    if (enter) { enter = false; hits()[0]?.focus(); }
    // A choice that is gone leaves the keyboard at the one that is made now.
    if (document.activeElement === document.body) (document.querySelector(".facets [aria-current]") ?? field()).focus();
    const form = document.getElementById("find"), address = new URL(e.detail.ctx.request.action, location.href);
    const system = form?.elements.system, wanted = address.searchParams.get("system") ?? "";
    if (system && [...system.options].some((o) => o.value === wanted)) system.value = wanted;
  });
}
