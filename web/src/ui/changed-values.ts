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

/** For a form whose values are fetched again while it is open: values that the person has not changed follow. */
export const KEEP_CHANGES = { keepDirtyValues: true, keepDirty: true }
/** For the reset after a change was saved. */
export const DROP_CHANGES = { keepDirtyValues: false, keepDirty: false }
