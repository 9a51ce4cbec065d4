/** The time is passed in, so that tests can change it. */
export interface Clock {
  now(): Date
}
