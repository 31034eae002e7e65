/** What a database would hand back: the value as JSON keeps it, which nobody can alter. */
export function frozen<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member) => Object.freeze(member));
}
