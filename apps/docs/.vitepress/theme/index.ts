// System fonts instead of the theme's web fonts.
import theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './style.css';

const notFound = () =>
  h('main', { class: 'not-found' }, [
    h('h1', 'Page not found'),
    h('p', [
      'There is no page at this address. Search, or start at the ',
      h('a', { href: import.meta.env.BASE_URL }, 'overview'),
      '.',
    ]),
  ]);

export default { extends: theme, Layout: () => h(theme.Layout, null, { 'not-found': notFound }) };
