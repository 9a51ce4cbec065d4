interface Named {
  first_name: string | null
  last_name: string | null
  email: string
}

/** A person's name, or the email address if there is none. */
export function personName({ first_name, last_name, email }: Named): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email
}
