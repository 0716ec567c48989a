export const greeting = () => 'Good day';
