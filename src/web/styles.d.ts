/** Declares the style sheets that parts import. The bundler loads a style sheet together with its part. */
declare module '*.css';
