/** Style sheets that a part imports. The bundler loads them together with the part. */
declare module '*.css';
