/** True for the folder itself and for everything below it. Both are absolute, without `..`. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
