// Runs before the first paint, so that the page never flashes in the colours of the other theme.
try {
  const theme = localStorage.getItem('portal-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the system's preference applies.
}
