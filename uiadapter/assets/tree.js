// Browse: a tree as the ARIA Authoring Practices have it. What is open is in the address.
{
  const tree = () => document.querySelector("[role=tree]");
  const items = () => [...(tree()?.querySelectorAll("[role=treeitem]") ?? [])].filter((i) => !i.closest("[role=group][hidden]"));
  const groupOf = (item) => item.parentElement.querySelector(":scope > [role=group]");
  const parentOf = (item) => item.closest("[role=group]")?.parentElement.querySelector(":scope > [role=treeitem]");
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const codesAbove = (item) => { const list = []; for (let i = parentOf(item); i; i = parentOf(i)) list.unshift(i.dataset.code); return list; };

  // Only one item is in the order of Tab.
  const rove = (item) => {
    for (const other of tree()?.querySelectorAll("[role=treeitem]") ?? []) other.tabIndex = -1;
    const one = item ?? tree()?.querySelector("[aria-current]") ?? items()[0];
    if (one) one.tabIndex = 0;
  };
  const focus = (item) => { if (item) { rove(item); item.focus(); } };

  // address writes what is chosen and open into the address.
  const address = (push) => {
    const root = tree(), params = new URLSearchParams();
    for (const [name, value] of [["system", root.dataset.system], ["version", root.dataset.version], ["lang", root.dataset.lang]]) if (value) params.set(name, value);
    const chosen = root.querySelector("[aria-current]");
    if (chosen) {
      params.set("code", chosen.dataset.code);
      const above = codesAbove(chosen);
      if (above.length < 60) for (const code of above) params.append("via", code);
    }
    const path = new Set();
    for (let i = chosen && parentOf(chosen); i; i = parentOf(i)) path.add(i);
    let left = 100;
    for (const item of items()) {
      if (!isOpen(item) || path.has(item) || left-- <= 0) continue;
      const parent = parentOf(item);
      params.append("open", parent ? item.dataset.code + "  " + parent.dataset.code : item.dataset.code);
    }
    const url = "tree?" + params;
    if (push) history.pushState({ htmx: true }, "", url); else history.replaceState({ htmx: true }, "", url);
  };

  // part returns the items of a part of the tree.
  const part = async (item, address) => {
    item.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(address, { headers: { "HX-Request": "true", "HX-Request-Type": "partial" } });
      const elsewhere = response.headers.get("HX-Redirect");
      if (elsewhere) location.assign(elsewhere);
      if (!response.ok || elsewhere) return [];
      const template = document.createElement("template");
      template.innerHTML = await response.text();
      for (const i of template.content.querySelectorAll("[role=treeitem]")) i.tabIndex = -1;
      return [...template.content.children].filter((li) => li.matches("li"));
    } catch { return []; } finally { item.removeAttribute("aria-busy"); }
  };

  const toggle = async (item, open, quiet) => {
    if (!item.hasAttribute("aria-expanded") || isOpen(item) === open || item.hasAttribute("aria-busy")) return;
    let group = groupOf(item);
    if (open && !group) {
      const list = await part(item, item.dataset.part);
      if (!list.length || !item.isConnected) return;
      group = document.createElement("ul");
      group.setAttribute("role", "group");
      group.id = item.id + "g";
      group.append(...list);
      item.after(group);
      item.setAttribute("aria-owns", group.id);
    }
    group.hidden = !open;
    item.setAttribute("aria-expanded", String(open));
    if (!open && group.contains(document.activeElement)) focus(item);
    if (!quiet) address(false);
  };

  // more puts the siblings that were left out in the place of the item that stands for them.
  const more = async (item) => {
    if (item.hasAttribute("aria-busy")) return;
    const li = item.parentElement, list = await part(item, item.dataset.more);
    if (!list.length || !li.isConnected) return;
    const before = !li.previousElementSibling; // it stands for those before the first
    const there = new Set([...li.parentElement.children].map((other) => other.firstElementChild.id));
    const isMore = (other) => other.firstElementChild.classList.contains("more");
    const fresh = list.filter((other, i) => !there.has(other.firstElementChild.id) && !(isMore(other) && (i > 0) === before));
    li.replaceWith(...fresh);
    const shown = fresh.filter((other) => !isMore(other));
    focus((before ? shown.at(-1) : shown[0])?.firstElementChild);
  };

  const choose = (item) => {
    if (item.dataset.more) { more(item); return; }
    for (const i of tree().querySelectorAll("[aria-current]")) i.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    address(true);
    const params = new URLSearchParams(location.search);
    params.delete("open");
    htmx.ajax("GET", "card?" + params, { source: "#card", target: "#card", swap: "innerHTML" });
  };

  let typed = "", last = 0;
  const find = (item, key) => {
    const now = Date.now();
    typed = now - last < 700 ? typed + key : key;
    last = now;
    const list = items(), at = list.indexOf(item), from = typed.length > 1 ? at : at + 1;
    const text = typed.toLocaleLowerCase();
    const ring = [...list.slice(from), ...list.slice(0, from)];
    focus(ring.find((i) => (i.querySelector(".name") ?? i).textContent.trim().toLocaleLowerCase().startsWith(text)));
  };

  document.addEventListener("keydown", (e) => {
    const item = e.target.closest?.("[role=treeitem]");
    if (!item || e.ctrlKey || e.metaKey || e.altKey) return;
    const list = items(), at = list.indexOf(item);
    const rtl = document.documentElement.dir === "rtl";
    const key = rtl ? ({ ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[e.key] ?? e.key) : e.key;
    switch (key) {
      case "ArrowDown": focus(list[at + 1]); break;
      case "ArrowUp": focus(list[at - 1]); break;
      case "Home": focus(list[0]); break;
      case "End": focus(list.at(-1)); break;
      case "ArrowRight": if (isOpen(item)) { focus(groupOf(item)?.querySelector("[role=treeitem]")); } else { toggle(item, true); } break;
      case "ArrowLeft": if (isOpen(item)) { toggle(item, false); } else { focus(parentOf(item)); } break;
      case "Enter": case " ": choose(item); break;
      case "*": {
        const beside = [...item.parentElement.parentElement.children].map((li) => li.firstElementChild);
        Promise.all(beside.map((i) => toggle(i, true, true))).then(() => address(false));
        break;
      }
      default:
        if (e.key.length !== 1 || e.key === "/") return;
        find(item, e.key);
    }
    e.preventDefault();
  });

  document.addEventListener("click", (e) => {
    const item = e.target.closest?.("[role=treeitem]");
    if (!item || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || e.button) return;
    e.preventDefault();
    focus(item);
    if (e.target.closest(".twist") && item.hasAttribute("aria-expanded")) { toggle(item, !isOpen(item)); return; }
    choose(item);
    toggle(item, true);
  });

  document.addEventListener("focusin", (e) => { if (e.target.matches?.("[role=treeitem]")) rove(e.target); });
  const start = () => { if (tree()) { rove(); tree().querySelector("[aria-current]")?.scrollIntoView({ block: "center" }); } };
  start();
  document.addEventListener("htmx:after:swap", (e) => { if (e.detail.ctx.target === document.body) start(); });
}
