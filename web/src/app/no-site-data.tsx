/** What a person sees whose browser stores nothing for the portal: nobody could sign in. */
export function NoSiteData() {
  return (
    <main className="boot">
      <p role="alert" className="max-w-md px-4 text-center text-base">
        Your browser blocks site data for {location.host}. Allow cookies and site data for this site, then reload the
        page.
      </p>
    </main>
  )
}
