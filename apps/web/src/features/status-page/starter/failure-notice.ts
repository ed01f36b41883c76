let notice: HTMLElement | undefined;

/** Says that a control cannot be used, because its script could not be loaded. */
export function showLoadNotice(): void {
  notice = document.createElement('p');
  notice.setAttribute('role', 'alert');
  notice.className = 'not-loaded';
  notice.textContent = 'The form could not be loaded. Try again.';
  document.body.append(notice);
}

export function hideLoadNotice(): void {
  notice?.remove();
}
