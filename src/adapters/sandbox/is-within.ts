/** Returns true for the folder itself and everything under it. Both paths are absolute, without `..`. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
