// The default theme without its fonts. The site uses the reader's own fonts, as the page does.
import theme from 'vitepress/theme-without-fonts';
import './colours.css';

export default theme;
