(function () {
  var search = document.querySelector('input[type=search]');
  if (!search) return;
  var boxes = document.querySelectorAll('.tools input[type=checkbox]');
  var entries = document.querySelectorAll('[data-entry]');
  document.querySelector('.tools').hidden = false;
  function show() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var off = {};
    boxes.forEach(function (box) { off[box.value] = !box.checked; });
    entries.forEach(function (entry) {
      var text = entry.textContent.toLowerCase();
      entry.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
    });
    document.querySelectorAll('section[data-standing]').forEach(function (section) {
      var left = section.querySelectorAll('[data-entry]:not([hidden])').length;
      section.hidden = off[section.dataset.standing] || !left;
      section.querySelector('[data-count]').textContent = left;
      if (words.length) section.querySelectorAll('details.all').forEach(function (d) { d.open = true; });
    });
  }
  search.addEventListener('input', show);
  boxes.forEach(function (box) { box.addEventListener('change', show); });
})();
