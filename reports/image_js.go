package reports

// drawable is nothing in WebAssembly, where JavaScript draws: the fonts for images alone are larger
// than all the rest of the project.
type drawable any
