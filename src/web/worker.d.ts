/** The address of a script that runs in a worker. The bundler creates it. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
