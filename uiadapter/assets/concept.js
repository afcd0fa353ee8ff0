// Concept: buttons that copy a text.
{
  document.addEventListener("click", async (e) => {
    const button = e.target.closest?.("[data-copy]");
    const text = button && document.getElementById(button.dataset.copy)?.textContent;
    if (text === undefined || text === null || !button) return;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no permission, or a page without TLS
      const area = document.createElement("textarea");
      area.value = text;
      area.setAttribute("readonly", "");
      area.className = "visually-hidden";
      button.after(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    const said = document.getElementById("copied");
    if (said) { said.textContent = ""; said.textContent = said.dataset.text; }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  });
}
