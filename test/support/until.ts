/** Waits for something that another process does; gives up after fifteen seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1500; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('waited in vain');
}
