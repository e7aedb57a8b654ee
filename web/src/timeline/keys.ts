// What single keys do in the timeline (those that are held down to move: input.ts).
export interface KeyActions {
  startSearch(): void;
  fit(): void; // what is chosen or marked, else the whole run
  fitAll(): void;
  markChosen(): void;
  nextMatch(direction: number): void;
  escape(): void;
  choose(): boolean; // Enter; false: the key is somebody else's
  sideways(direction: number): void;
  upDown(up: boolean): void;
}

// Whether the key was one of the timeline's.
export function actOnKey(key: string, actions: KeyActions): boolean {
  switch (key) {
    case "/": actions.startSearch(); return true;
    case "f": actions.fit(); return true;
    case "m": actions.markChosen(); return true;
    case "n": actions.nextMatch(1); return true;
    case "p": actions.nextMatch(-1); return true;
    case "0":
    case "Home": actions.fitAll(); return true;
    case "Escape": actions.escape(); return true;
    case "Enter": return actions.choose();
    case "ArrowLeft": actions.sideways(-1); return true;
    case "ArrowRight": actions.sideways(1); return true;
    case "ArrowUp": actions.upDown(true); return true;
    case "ArrowDown": actions.upDown(false); return true;
    default: return false;
  }
}
