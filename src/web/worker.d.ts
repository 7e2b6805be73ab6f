/** The address of a script that runs beside the page; the bundler makes it. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
