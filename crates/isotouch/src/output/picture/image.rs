use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file::write_atomically;

/// A finished picture: rows from top to bottom, three bytes (sRGB) per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

/// Why a picture was not written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct PictureError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

impl Image {
    pub(super) fn new(width: u32, height: u32, rgb: Vec<u8>) -> Self {
        assert_eq!(rgb.len(), width as usize * height as usize * 3);
        Self { width, height, rgb }
    }

    /// Pixels per row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green and blue of the pixel in column `x` and row `y`, counted from the top left.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height);
        let at = (y as usize * self.width as usize + x as usize) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Writes a PNG. The file appears whole or not at all.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), PictureError> {
        let path = path.as_ref();
        write_atomically(path, |out| {
            let mut encoder = png::Encoder::new(out, self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.rgb)?;
            writer.finish()?;
            Ok(())
        })
        .map_err(|source| PictureError { path: path.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_decodes_to_the_same_pixels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        let rgb: Vec<u8> = (0..7 * 5 * 3).map(|i| (i * 37 % 256) as u8).collect();
        let image = Image::new(7, 5, rgb.clone());
        image.write_png(&path).unwrap();

        let file = io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut decoded).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (7, 5, png::ColorType::Rgb));
        assert_eq!(decoded, rgb);
        assert_eq!(image.pixel(1, 2), [rgb[45], rgb[46], rgb[47]]);

        let error = image.write_png(folder.path().join("no/p.png")).unwrap_err().to_string();
        assert!(error.contains("p.png"), "{error}");
    }
}
