"use strict";
(function () {
  var form = document.querySelector(".filter");
  var status = document.querySelector(".shown");
  var groups = Array.prototype.slice.call(document.querySelectorAll(".group"));
  var boxes = Array.prototype.slice.call(form.querySelectorAll("input"));
  function count(list) {
    return list.reduce(function (sum, group) { return sum + Number(group.dataset.count); }, 0);
  }
  function apply() {
    var chosen = boxes.filter(function (box) { return box.checked; }).map(function (box) { return box.value; });
    groups.forEach(function (group) { group.hidden = chosen.indexOf(group.dataset.severity) < 0; });
    var visible = groups.filter(function (group) { return !group.hidden; });
    status.textContent = "Showing " + count(visible) + " of " + count(groups) + " findings.";
  }
  function open(all) {
    document.querySelectorAll("details").forEach(function (details) { details.open = all; });
  }
  form.addEventListener("change", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.querySelectorAll("button").forEach(function (button) {
    button.addEventListener("click", function () { open(button.dataset.open === "true"); });
  });
  var before = [];
  window.addEventListener("beforeprint", function () {
    before = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    open(true);
  });
  window.addEventListener("afterprint", function () {
    before.forEach(function (details) { details.open = false; });
  });
  form.hidden = false;
  apply();
})();
