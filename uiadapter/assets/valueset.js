// Value sets: a link beside a code asks for its explanation in the form that is there.
{
  document.addEventListener("click", (e) => {
    const a = e.target.closest?.("a[data-why]"), code = document.getElementById("why-code");
    if (!a || !code || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    const asked = new URL(a.href).searchParams;
    code.value = asked.get("code");
    document.getElementById("why-system").value = asked.get("system") ?? "";
    code.form.requestSubmit();
  });
  document.addEventListener("htmx:after:swap", (e) => {
    const target = e.detail.ctx.target;
    // After the last page there is no next one: the keyboard goes on at the one before.
    if (document.activeElement === document.body) document.querySelector("#turn-next, #turn-prev")?.focus({ preventScroll: true });
    if (target?.id !== "why") return;
    target.focus({ preventScroll: true });
    target.closest("section").scrollIntoView({ block: "nearest" });
  });
}
