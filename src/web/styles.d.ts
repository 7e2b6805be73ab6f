/** Style sheets that a part brings along; the bundler loads them with it. */
declare module '*.css';
