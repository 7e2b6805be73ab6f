// The default theme without its fonts. Like the web page, the site uses the reader's own fonts.
import theme from 'vitepress/theme-without-fonts';
import './colours.css';

export default theme;
