/** Fetches the bytes of a file. They are compiled later, because a server may send another media type than streaming takes. */
export async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url.pathname} cannot be fetched: ${response.status}`);
  }
  return response.arrayBuffer();
}
