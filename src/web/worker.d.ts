/** Declares the address of a script that runs in a worker. The bundler creates the address. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
