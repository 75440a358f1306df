import { useEffect } from "react";

let name = "";
let waiting = 0;

const write = (): void => {
  document.title = `${waiting === 0 ? "" : `(${waiting}) `}${name === "" ? "" : `${name} · `}iSDLC`;
};

/** How many decisions wait, in front of the title. */
export function countInTitle(count: number): void {
  waiting = count;
  write();
}

/** Names the screen in the title, for as long as it is shown. */
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
