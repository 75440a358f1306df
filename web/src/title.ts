import { useEffect } from "react";

let name = "";
let waiting = 0;

const write = (): void => {
  document.title = `${waiting === 0 ? "" : `(${waiting}) `}${name === "" ? "" : `${name} · `}iSDLC`;
};

/** Displays the number of waiting runs in front of the title. */
export function countInTitle(count: number): void {
  waiting = count;
  write();
}

/** Displays the name of the page in the title while it is open. */
export function useTitle(screen: string): void {
  useEffect(() => {
    name = screen;
    write();
    return () => {
      name = "";
      write();
    };
  }, [screen]);
}
