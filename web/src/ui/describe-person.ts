interface Person {
  readonly name: string;
  readonly display_name: string;
}

export function describePerson({ name, display_name }: Person): string {
  return display_name === name ? name : `${display_name} (${name})`;
}
