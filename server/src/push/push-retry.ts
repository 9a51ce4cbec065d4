/** How everything that waits for the CRM is retried (D23). */
export const PUSH_RETRY = { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 7 }
