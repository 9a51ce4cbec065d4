import { fireEvent } from '@testing-library/react'

/** Presses Enter as browsers report it while an input method composes a word: Chrome and Firefox, and then Safari. */
export function pressEnterInInputMethod(field: Element, modifiers: KeyboardEventInit = {}) {
  fireEvent.keyDown(field, { ...modifiers, key: 'Enter', isComposing: true })
  fireEvent.keyDown(field, { ...modifiers, key: 'Enter', keyCode: 229 })
}
