/** Style sheets that a part imports. The bundler loads them with the part. */
declare module '*.css';
