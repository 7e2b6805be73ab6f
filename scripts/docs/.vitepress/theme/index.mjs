// The default theme without its fonts: the site uses the reader's own, as the page does.
import theme from 'vitepress/theme-without-fonts';
import './colours.css';

export default theme;
