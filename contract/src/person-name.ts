interface Named {
  first_name: string | null
  last_name: string | null
  email: string
}

/** Somebody without a name is known by the address. */
export function personName({ first_name, last_name, email }: Named): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email
}
