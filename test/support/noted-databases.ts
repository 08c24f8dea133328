const noted: string[] = [];

/** Notes a ClickHouse database of the running test file, for `PROFILE=1 make test`. */
export function noteDatabase(name: string): void {
  noted.push(name);
}

/** The databases of the file that ends: all since the file before it in the same process. */
export function takeDatabases(): string[] {
  return noted.splice(0);
}
