import type * as z from 'zod/mini'

/** A field of a record that portal and CRM share. Each is described once, and everything else is derived from that. */
interface RecordField {
  /** Its value in an answer. */
  value: z.ZodMiniType
  /** Whether it identifies an applicant or holds free text, so that an erasure empties it (D97). */
  isPersonal: boolean
  /** Whether partners' systems may read it (D84). */
  isShared: boolean
  /** If partners enter it: under which name, and by which rule. */
  typed?: { name: string; rule: z.ZodMiniType }
}
type Fields = Record<string, RecordField>

export type ColumnOf<Of> = keyof Of & string
export type ValuesOf<Of extends Fields> = { [Column in keyof Of]: z.output<Of[Column]['value']> }
type Having<Of, Mark> = { [Column in keyof Of]: Of[Column] extends Mark ? Column : never }[keyof Of] & string
export type PersonalColumn<Of> = Having<Of, { isPersonal: true }>
export type SharedColumn<Of> = Having<Of, { isShared: true }>
export type TypedColumn<Of> = Having<Of, { typed: object }>
type TypedOf<Of> = {
  [Column in keyof Of as Of[Column] extends { typed: { name: infer Name extends string } }
    ? Name
    : never]: Of[Column] extends {
    typed: infer Typed
  }
    ? Typed
    : never
}
export type TypedName<Of> = keyof TypedOf<Of> & string
type RulesOf<Of> = {
  [Name in keyof TypedOf<Of>]: TypedOf<Of>[Name] extends { rule: infer Rule extends z.ZodMiniType } ? Rule : never
}

export function describeFields<const Of extends Fields>(fields: Of): Of {
  return fields
}

/** The keys of an object that has no others than its type says. */
export function keysOf<Of extends object>(object: Of): ColumnOf<Of>[] {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the keys of this very object
  return Object.keys(object) as ColumnOf<Of>[]
}

/** An object with the same value under each key. */
export function eachOf<const Key extends string, const Value>(keys: readonly Key[], value: Value): Record<Key, Value> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the loop goes through all keys
  return Object.fromEntries(keys.map((key) => [key, value])) as Record<Key, Value>
}

/** These properties of an object. */
export function pick<From extends object, Key extends keyof From>(from: From, keys: readonly Key[]): Pick<From, Key> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the loop goes through all keys
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<From, Key>
}

/** The shape of the fields in an answer. */
export function shapeOf<Of extends Fields>(fields: Of) {
  const values = Object.entries(fields).map(([column, { value }]) => [column, value])
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each column keeps its value
  return Object.fromEntries(values) as { [Column in keyof Of]: Of[Column]['value'] }
}

export function personalColumns<Of extends Fields>(fields: Of) {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the filter is what the type says
  return keysOf(fields).filter((column) => fields[column]?.isPersonal) as PersonalColumn<Of>[]
}

export function sharedColumns<Of extends Fields>(fields: Of) {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the filter is what the type says
  return keysOf(fields).filter((column) => fields[column]?.isShared) as SharedColumn<Of>[]
}

/** The columns that partners enter, each with the name under which it is typed. */
export function typedColumns<Of extends Fields>(fields: Of) {
  const typed = keysOf(fields).flatMap((column) => {
    const name = fields[column]?.typed?.name
    return name === undefined ? [] : [[column, name]]
  })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the filter is what the types say
  return typed as [TypedColumn<Of>, TypedName<Of>][]
}

/** The rule of each field that partners enter, by the name under which it is typed. */
export function rulesOf<Of extends Fields>(fields: Of) {
  const typed = Object.values(fields).flatMap((field) => field.typed ?? [])
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each name keeps its rule
  return Object.fromEntries(typed.map(({ name, rule }) => [name, rule])) as RulesOf<Of>
}

/** What was typed, by column. */
export function typedValues<Of extends Fields, Form extends { [Name in keyof TypedOf<Of>]: unknown }>(
  fields: Of,
  form: Form,
) {
  const values = typedColumns(fields).map(([column, name]) => [column, form[name]])
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each column gets the value under its name
  return Object.fromEntries(values) as {
    [Column in TypedColumn<Of>]: Of[Column] extends { typed: { name: infer Name extends keyof Form } }
      ? Form[Name]
      : never
  }
}
