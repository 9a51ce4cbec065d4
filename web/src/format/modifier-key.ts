/** The name of the key that makes commands of letters on this machine, ready to be followed by the letter. */
export const MODIFIER = /Mac|iP/.test(navigator.userAgent) ? '⌘' : 'Ctrl '
