// Requests to the program.

/// Asks the program. Resolves to its answer, or throws an Error whose message is for the user, and
/// whose cause is what the program said. `signal` aborts the request: a newer one supersedes it.
export async function api(name, body = {}, { signal } = {}) {
  return send(name, 'application/json', JSON.stringify(body), signal)
}

/// Sends a file (a Blob) to the program.
export async function upload(name, file, { signal } = {}) {
  return send(name, 'application/octet-stream', file, signal)
}

/// Whether an error only says that a request was superseded.
export function isAborted(error) {
  return error.name === 'AbortError'
}

async function send(name, type, body, signal) {
  let response
  try {
    response = await fetch(`api/${name}`, {
      method: 'POST', headers: { 'Content-Type': type }, body, signal,
    })
  } catch (error) {
    if (isAborted(error)) throw error
    throw new Error('The program does not answer. Start it again: anther lab')
  }
  let answer
  try {
    answer = await response.json()
  } catch (error) {
    if (isAborted(error)) throw error
    throw new Error(`The program refused the request (${response.status}). Open the address that it printed.`)
  }
  if (!response.ok) throw new Error(sentence(answer.error), { cause: answer.error })
  return answer
}

/// A message of the program, as a sentence.
function sentence(message) {
  return message[0].toUpperCase() + message.slice(1) + (/[.!?…]$/.test(message) ? '' : '.')
}
