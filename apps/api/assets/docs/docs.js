const root = document.documentElement;

document.querySelector('.theme-button').addEventListener('click', () => {
  const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
  root.dataset.theme = theme;
  try {
    localStorage.setItem('docs-theme', theme);
  } catch {
    // Then it lasts for this page.
  }
  dispatchEvent(new CustomEvent('docs-theme', { detail: theme }));
});

const menuButton = document.querySelector('.site-menu-button');
const openMenu = (open) => {
  root.classList.toggle('menu-open', open);
  menuButton.setAttribute('aria-expanded', String(open));
};
menuButton.addEventListener('click', () => openMenu(!root.classList.contains('menu-open')));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') openMenu(false);
});

const current = document.querySelector('.site-menu [aria-current]');
if (current !== null) current.scrollIntoView({ block: 'nearest' });

for (const block of document.querySelectorAll('.code.source')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Press Ctrl+C';
      getSelection().selectAllChildren(block.querySelector('code'));
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1600);
  });
  block.append(button);
}

// Which part of the page is being read.
const places = new Map(
  [...document.querySelectorAll('.site-contents a')].map((link) => [
    link.getAttribute('href').slice(1),
    link,
  ]),
);
if (places.size > 0) {
  const headings = [...places.keys()].map((id) => document.getElementById(id));
  const mark = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
    const here = (passed.at(-1) ?? headings[0]).id;
    for (const [id, link] of places) link.classList.toggle('here', id === here);
    places.get(here).scrollIntoView({ block: 'nearest' });
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

const search = document.querySelector('.site-search input');
const results = document.querySelector('.site-results');
let index = null;
const indexed = () => {
  index ??= fetch(search.dataset.index).then((answer) => answer.json());
  return index;
};
const score = ({ page, title, text }, words) => {
  const [inTitle, inPage, inText] = [title, page, text].map((part) => part.toLowerCase());
  let total = 0;
  for (const word of words) {
    const points =
      (inTitle.includes(word) ? 10 : 0) +
      (inTitle.startsWith(word) ? 10 : 0) +
      (inPage.includes(word) ? 4 : 0) +
      (inText.includes(word) ? 1 : 0);
    if (points === 0) return 0;
    total += points;
  }
  return total;
};
const excerpt = (text, word) => {
  const at = text.toLowerCase().indexOf(word);
  const from = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1;
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 130)}${text.length > from + 130 ? ' …' : ''}`;
};
const find = async () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    results.hidden = true;
    return;
  }
  const found = (await indexed())
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, 8);
  results.replaceChildren(
    ...found.map(({ section }) => {
      const link = document.createElement('a');
      link.href = section.href;
      const title = document.createElement('strong');
      title.textContent =
        section.title === section.page ? section.page : `${section.page} › ${section.title}`;
      const text = document.createElement('span');
      text.textContent = excerpt(section.text, words[0]);
      link.append(title, text);
      return link;
    }),
  );
  if (found.length === 0) results.textContent = 'Nothing found.';
  results.hidden = false;
};
search.addEventListener('focus', indexed, { once: true });
search.addEventListener('input', find);
search.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  if (event.key === 'Enter' && links.length > 0) links[0].click();
  if (event.key === 'ArrowDown' && links.length > 0) {
    event.preventDefault();
    links[0].focus();
  }
  if (event.key === 'Escape') {
    search.value = '';
    results.hidden = true;
    search.blur();
  }
});
results.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const next = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : null;
  if (next === null) return;
  event.preventDefault();
  (links[next] ?? search).focus();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.site-search')) results.hidden = true;
  if (event.target.closest('.site-results a')) results.hidden = true;
  if (!event.target.closest('.site-menu, .site-menu-button') || event.target.closest('.site-menu a'))
    openMenu(false);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea')) return;
  event.preventDefault();
  search.focus();
});
