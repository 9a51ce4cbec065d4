/** Time is passed in, so that tests can move it. */
export interface Clock {
  now(): Date
}
