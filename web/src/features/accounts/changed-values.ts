/**
 * The values that the person has changed. A form that sends only these does not undo what was changed elsewhere since
 * the form was loaded.
 */
export function changedValues<Values extends object>(
  values: Values,
  dirtyFields: { [Name in keyof Values]?: unknown },
): Partial<Values> {
  const changed: Partial<Values> = { ...values }
  for (const name in values) if (!dirtyFields[name]) delete changed[name]
  return changed
}
