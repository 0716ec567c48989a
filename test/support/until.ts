/** Waits for something that another process does; gives up after a minute, which is for a machine that has much else to do. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('waited in vain');
}
