// Runs before the first paint, so that a chosen theme never flashes in the other one's colours.
try {
  const theme = localStorage.getItem('portal-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the system's preference holds.
}
